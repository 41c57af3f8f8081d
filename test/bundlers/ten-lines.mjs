// What is run by every way in: ten lines from the import to the decisions of a learner beside its rule. `npm run check` compiles them as TypeScript.
import { createCore } from 'trimtab'
import {
  ClusterSimulator,
  GuardedAllocator,
  generateApplication,
  generateLoad,
  MarginAllocator,
  operate,
  ruleFamilies,
} from 'trimtab/tasks/autoscaling'

export async function decide() {
  const core = await createCore()
  const cluster = new ClusterSimulator(core, generateApplication(core, 1), generateLoad(core, 1))
  const [family] = ruleFamilies('in-place').filter(({ name }) => name === 'resize')
  const rule = family.create(core, cluster.options, family.settings[0])
  const learner = new GuardedAllocator(core, rule, new MarginAllocator(core))
  cluster.reset(0, 1)
  const { dollarsPerHour } = operate(cluster, learner, { steps: 240 })
  return `$${dollarsPerHour} an hour`
}
