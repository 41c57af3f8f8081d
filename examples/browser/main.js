// Usage: npx vite examples/browser
// The expected length of a language model's answer, while its prompt is being typed. Nothing leaves the page. Good to order by: of a model that
// the predictor has not watched it knows little more than that.
import { createServeCore, LengthPredictor } from 'trimtab/serve'
import { defaultLengthWeights } from 'trimtab/serve/weights'

const predictor = LengthPredictor.load(await createServeCore(), defaultLengthWeights())
const [prompt, tokens] = ['prompt', 'tokens'].map((id) => document.getElementById(id))

function foretell() {
  tokens.value = Math.round(predictor.predict({ model: 'mine', prompt: prompt.value }).tokens)
}
prompt.addEventListener('input', foretell)
foretell()
