// What the most similar prompts took: cosine over n-grams, weighed by how rare they are.
const NEAREST = 30
const DOUBT = 0.1 // weight of the middle, for prompts that are like no other

/**
 * @param prompts  columns of each known prompt
 * @param values  what each took, 0…1
 * @param log  natural logarithm
 * @returns the value expected of a prompt's columns
 */
export function fitNeighbours(prompts, values, size, log) {
  const lists = new Map()
  for (const [i, columns] of prompts.entries()) {
    for (const column of columns) {
      const list = lists.get(column)
      if (list) list.push(i)
      else lists.set(column, [i])
    }
  }
  const rarity = new Float64Array(size)
  for (let j = 0; j < size; j++) rarity[j] = log((prompts.length + 1) / ((lists.get(j)?.length ?? 0) + 1)) ** 2
  const lengthOf = (columns) => Math.sqrt(columns.reduce((sum, column) => sum + rarity[column], 0))
  const lengths = prompts.map(lengthOf)
  return (columns) => {
    const products = new Float64Array(prompts.length)
    for (const column of columns) for (const i of lists.get(column) ?? []) products[i] += rarity[column]
    const length = lengthOf(columns)
    const cosines = products.map((product, i) => (product > 0 ? product / (length * lengths[i]) : 0))
    const least = cosines.toSorted()[Math.max(0, cosines.length - NEAREST)]
    let weight = DOUBT ** 2
    let sum = 0.5 * weight
    for (const [i, cosine] of cosines.entries()) {
      if (cosine < least) continue // equals of the thirtieth count too
      weight += cosine ** 2
      sum += cosine ** 2 * values[i]
    }
    return sum / weight
  }
}
