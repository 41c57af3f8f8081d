// Ridge regression on sparse rows whose values are all 1/√(columns of the row), by conjugate gradients.
const STEPS = 30

/**
 * @param rows  Int32Array of columns for each row; a column < `size`
 * @returns the prediction of a row
 */
export function fitRidge(rows, targets, size, penalty) {
  const n = rows.length
  let mean = 0
  for (const target of targets) mean += target / n
  const weights = new Float64Array(size)
  const residual = new Float64Array(size) // of the normal equations: Xᵀ(y − Xw) − λw
  addTransposed(
    rows,
    Float64Array.from(targets, (target) => target - mean),
    residual,
  )
  const direction = residual.slice()
  const image = new Float64Array(size)
  let square = dot(residual, residual)
  const first = square
  for (let step = 0; step < STEPS && square > 1e-10 * first; step++) {
    for (let j = 0; j < size; j++) image[j] = penalty * direction[j]
    addTransposed(
      rows,
      rows.map((row) => product(row, direction)),
      image,
    )
    const along = square / dot(direction, image)
    for (let j = 0; j < size; j++) {
      weights[j] += along * direction[j]
      residual[j] -= along * image[j]
    }
    const next = dot(residual, residual)
    for (let j = 0; j < size; j++) direction[j] = residual[j] + (next / square) * direction[j]
    square = next
  }
  return (row) => mean + product(row, weights)
}

function product(row, weights) {
  let sum = 0
  for (let i = 0; i < row.length; i++) sum += weights[row[i]]
  return row.length > 0 ? sum / Math.sqrt(row.length) : 0
}

function addTransposed(rows, values, into) {
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r]
    if (row.length === 0) continue
    const value = values[r] / Math.sqrt(row.length)
    for (let i = 0; i < row.length; i++) into[row[i]] += value
  }
}

function dot(a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}
