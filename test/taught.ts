// What `trimtab pretrain` writes, for tests that need such a file: a pool of four, three rounds.
import { metaPresets } from '@trimtab/learn'
import { pretrain } from '@trimtab/studies'
import { findTask } from '@trimtab/tasks'

/** A pretrained model of the autoscaling task as a file; the same bytes every time. */
export async function taughtAutoscaling(): Promise<Uint8Array> {
  const setup = { task: 'autoscaling', first: 10_000, pairs: 4, rounds: 3, meta: metaPresets.set, seed: 1 }
  return (await pretrain(findTask('autoscaling'), setup)).save()
}
