// Ways to come to a new app, each with what it starts from and how it explores. The reports name them by `title`.

const EXPLORING = [0.4, 0.1, 20] // deviation from … to, over so many episodes
const CALM = [0.15, 0.15, 1] // what a converged agent is left with
const FINE = [0.2, 0.2, 1]

export const METHODS = {
  scratch: {
    title: 'from scratch',
    start: 'nothing',
    phase: 'adapting',
    exploration: EXPLORING,
    options: { waitEpisodes: 0 },
  },
  transfer: {
    title: 'transfer (TL): weights of one converged app, as they are',
    start: 'source',
    phase: 'adapting',
    exploration: CALM,
    options: { firstEpisode: 'policy', waitEpisodes: 0 },
  },
  transferExploring: {
    title: 'transfer (TL), exploration restored',
    start: 'source',
    phase: 'adapting',
    exploration: EXPLORING,
    options: { waitEpisodes: 1 },
  },
  transferExploringNow: {
    title: 'transfer (TL), exploration restored, learning from its first episode on',
    start: 'source',
    phase: 'adapting',
    exploration: EXPLORING,
    options: { waitEpisodes: 0 },
  },
  transferPlus: {
    title: 'transfer with forecast and table (TL+), exploration restored',
    start: 'sourcePlus',
    phase: 'adapting',
    exploration: EXPLORING,
    options: { waitEpisodes: 1 },
    isPlus: true,
  },
  transferPlusNow: {
    title: 'transfer with forecast and table (TL+), exploration restored, learning from its first episode on',
    start: 'sourcePlus',
    phase: 'adapting',
    exploration: EXPLORING,
    options: { waitEpisodes: 0 },
    isPlus: true,
  },
  none: {
    title: 'shared policy without embedding',
    start: 'none',
    phase: 'finetuning',
    exploration: FINE,
    options: { firstEpisode: 'policy' },
  },
  noneNow: {
    title: 'shared policy without embedding, learning from its first episode on',
    start: 'none',
    phase: 'finetuning',
    exploration: FINE,
    options: { firstEpisode: 'policy', waitEpisodes: 0 },
  },
  learnedPolicy: {
    title: 'learned embedding, first episode: pretrained policy',
    start: 'learned',
    phase: 'finetuning',
    exploration: FINE,
    options: { firstEpisode: 'policy' },
  },
  learned: {
    title: 'learned embedding, first episode: random',
    start: 'learned',
    phase: 'finetuning',
    exploration: FINE,
    options: { firstEpisode: 'random' },
  },
  learnedFrozen: {
    title: 'learned embedding, first episode: random, policy frozen',
    start: 'learned',
    phase: 'finetuning',
    exploration: FINE,
    options: { firstEpisode: 'random', isFineTuned: false },
  },
  parameters: {
    title: 'true parameters as embedding',
    start: 'parameters',
    phase: 'finetuning',
    exploration: FINE,
    options: { firstEpisode: 'policy' },
  },
}

/** The controls of each kind: what is learned is held against the best of them in the figure at hand. */
export const CONTROLS = {
  transfer: ['transfer', 'transferExploring', 'transferExploringNow'],
  transferPlus: ['transferPlus', 'transferPlusNow'],
  none: ['none', 'noneNow'],
}

/** Which shared policy has to be pretrained for a method, if any. */
export const PRETRAINED = ['none', 'learned', 'parameters']
