export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Of the mean. */
export const standardError = (values) => {
  const average = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length)
}
