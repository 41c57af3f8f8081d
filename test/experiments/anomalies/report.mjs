export const report = ({ repetitions, collections }) => {
  for (const label of ['isResponsible', 'isInjected'])
    for (const part of ['several', 'single']) {
      console.log(label, part)
      for (const [r, rep] of repetitions.entries())
        for (const [m, v] of Object.entries(rep[label][part]))
          console.log(
            r,
            m.padEnd(24),
            Object.entries(v.figures)
              .map(([k, x]) => `${k} ${x.toFixed(3)}`)
              .join(' '),
          )
    }
  for (const k of ['graphs', 'kinds'])
    for (const [n, v] of Object.entries(repetitions[0].isResponsible[k]))
      console.log(
        n,
        Object.entries(v['SVM, with reference'].figures)
          .map(([k, x]) => `${k} ${x.toFixed(3)}`)
          .join(' '),
      )
  return { markdown: 'x<svg', json: {}, isShown: true }
}
