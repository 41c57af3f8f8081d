// The types that a schema declares, so that they are written once. The schema is a literal (`as const`).

type Flat<T> = { [K in keyof T]: T[K] }

/** Fields that may be left out: neither required nor with a default. */
type OptionalName<P, R> = {
  [K in keyof P]: K extends R ? never : P[K] extends { readonly default: unknown } ? never : K
}[keyof P]

/** Fields that are always said: required. */
type RequiredName<P, R> = { [K in keyof P]: K extends R ? K : never }[keyof P]

/** An object as the server answers it: fields with a default are there. */
export type Resolved<S> = S extends { readonly 'x-kubernetes-int-or-string': true }
  ? number | string
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly properties: infer P }
      ? Flat<
          { readonly [K in Exclude<keyof P, OptionalName<P, RequiredOf<S>>>]: Resolved<P[K]> } & {
            readonly [K in OptionalName<P, RequiredOf<S>>]?: Resolved<P[K]>
          }
        >
      : Simple<S, 'resolved'>

/** An object as somebody writes it: only what is required must be said. */
export type Declared<S> = S extends { readonly 'x-kubernetes-int-or-string': true }
  ? number | string
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly properties: infer P }
      ? Flat<
          { readonly [K in RequiredName<P, RequiredOf<S>>]: Declared<P[K]> } & {
            readonly [K in Exclude<keyof P, RequiredName<P, RequiredOf<S>>>]?: Declared<P[K]>
          }
        >
      : Simple<S, 'declared'>

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never

type Simple<S, Form> = S extends { readonly items: infer I }
  ? readonly (Form extends 'declared' ? Declared<I> : Resolved<I>)[]
  : S extends { readonly additionalProperties: infer V }
    ? Readonly<Record<string, Form extends 'declared' ? Declared<V> : Resolved<V>>>
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'integer' | 'number' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : Readonly<Record<string, unknown>>
