/** What a layer applies to its sums. */
export type Activation = 'linear' | 'relu' | 'tanh' | 'sigmoid'

/** As the core and the shaders number them. */
export const ACTIVATIONS: readonly Activation[] = ['linear', 'relu', 'tanh', 'sigmoid']
