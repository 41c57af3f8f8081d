export const runComparison = (_request: unknown, _hooks: unknown): Promise<never> =>
  Promise.reject(new Error('not wired'))
