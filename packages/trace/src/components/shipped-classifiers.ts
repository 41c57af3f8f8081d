/** By feature set. */
export const SHIPPED_CLASSIFIERS: Readonly<Record<'window' | 'reference', string>> = { window: '', reference: '' }
