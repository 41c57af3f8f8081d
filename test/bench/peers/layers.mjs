/** Canonical parameters of a dense net → [{ w [out, in], b, inputs, outputs }], as peers take them. */
export function toLayers(sizes, parameters) {
  let at = 0
  const take = (n) => {
    at += n
    return parameters.slice(at - n, at)
  }
  return sizes.slice(1).map((outputs, i) => ({
    w: take(outputs * sizes[i]),
    b: take(outputs),
    inputs: sizes[i],
    outputs,
  }))
}
