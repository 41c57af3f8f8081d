/** The call is bad: the command prints the message and ends with 2. Not a TrimtabError: doctor times the first import of the core. */
export class UsageError extends Error {
  readonly code = 'usage'
}
