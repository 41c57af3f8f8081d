// Gradient-boosted regression trees on histograms: squared error, every tree of the same depth, leaves shrunk.
const BINS = 32
const SETTINGS = { trees: 200, depth: 4, rate: 0.06, smallest: 30, shrink: 10 }

/** @param rows  arrays of numbers, equally long. @returns the prediction of a row */
export function fitTrees(rows, targets, settings = {}) {
  const { trees, depth, rate, smallest, shrink } = { ...SETTINGS, ...settings }
  const width = rows[0].length
  const borders = Array.from({ length: width }, (_, j) => bordersOf(Float64Array.from(rows, (row) => row[j])))
  const binned = (row) => Uint8Array.from(row, (value, j) => binOf(borders[j], value))
  const bins = new Uint8Array(rows.length * width)
  for (const [i, row] of rows.entries()) bins.set(binned(row), i * width)
  const start = targets.reduce((sum, target) => sum + target, 0) / targets.length
  const residual = Float64Array.from(targets, (target) => target - start)
  const forest = []
  const node = new Uint16Array(rows.length)
  for (let t = 0; t < trees; t++) {
    const tree = {
      split: new Int16Array(2 ** depth).fill(-1),
      bin: new Uint8Array(2 ** depth),
      leaf: new Float64Array(2 ** depth),
    }
    node.fill(1) // node k has the children 2k and 2k + 1
    for (let level = 0; level < depth; level++) {
      chooseSplits(tree, { bins, width, residual, node, first: 2 ** level, smallest, shrink })
      for (let i = 0; i < node.length; i++) node[i] = childOf(tree, node[i], bins, i * width)
    }
    const counts = new Float64Array(2 ** depth)
    for (let i = 0; i < node.length; i++) {
      counts[node[i] - 2 ** depth] += 1
      tree.leaf[node[i] - 2 ** depth] += residual[i]
    }
    for (let k = 0; k < counts.length; k++) tree.leaf[k] *= rate / (counts[k] + shrink)
    for (let i = 0; i < node.length; i++) residual[i] -= tree.leaf[node[i] - 2 ** depth]
    forest.push(tree)
  }
  return (row) => {
    const at = binned(row)
    let sum = start
    for (const tree of forest) {
      let k = 1
      for (let level = 0; level < depth; level++) k = childOf(tree, k, at, 0)
      sum += tree.leaf[k - 2 ** depth]
    }
    return sum
  }
}

const childOf = (tree, k, bins, offset) =>
  tree.split[k] >= 0 && bins[offset + tree.split[k]] > tree.bin[k] ? 2 * k + 1 : 2 * k

/** Up to 31 values that cut the sorted ones into parts of about the same size. */
function bordersOf(values) {
  values.sort()
  const cuts = Array.from({ length: BINS - 1 }, (_, i) => values[Math.floor(((i + 1) * values.length) / BINS)])
  return Float64Array.from(new Set(cuts))
}

/** How many borders lie below the value. */
function binOf(borders, value) {
  let bin = 0
  while (bin < borders.length && borders[bin] < value) bin++
  return bin
}

/** For each node of a level the split that takes most squared error away, if there is one. */
function chooseSplits(tree, { bins, width, residual, node, first, smallest, shrink }) {
  const sums = new Float64Array(first * width * BINS)
  const counts = new Uint32Array(first * width * BINS)
  for (let i = 0; i < node.length; i++) {
    let at = (node[i] - first) * width * BINS
    const value = residual[i]
    for (let j = 0, from = i * width; j < width; j++, at += BINS) {
      const bin = at + bins[from + j]
      sums[bin] += value
      counts[bin] += 1
    }
  }
  for (let k = 0; k < first; k++) {
    const totals = [0, 0]
    for (let bin = 0; bin < BINS; bin++) {
      totals[0] += counts[k * width * BINS + bin]
      totals[1] += sums[k * width * BINS + bin]
    }
    const [count, sum] = totals
    let best = (sum * sum) / (count + shrink) + 1e-9
    for (let j = 0; j < width; j++) {
      let left = 0
      let leftSum = 0
      for (let bin = 0, at = (k * width + j) * BINS; bin < BINS - 1; bin++, at++) {
        left += counts[at]
        leftSum += sums[at]
        if (left < smallest || count - left < smallest) continue
        const right = sum - leftSum
        const gain = (leftSum * leftSum) / (left + shrink) + (right * right) / (count - left + shrink)
        if (gain <= best) continue
        best = gain
        tree.split[first + k] = j
        tree.bin[first + k] = bin
      }
    }
  }
}
