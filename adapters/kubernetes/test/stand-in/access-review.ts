// `kubectl auth can-i` sends its question in protobuf, and only so: the one message that the stand-in reads in it.
import type { Fields } from './objects.js'
import { badRequest } from './status-error.js'

const ATTRIBUTES = ['', 'namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name']

/** A SelfSubjectAccessReview in Kubernetes' envelope: `k8s\0`, then `Unknown { typeMeta, raw }`. */
export function readAccessReview(bytes: Buffer): Fields {
  if (bytes.subarray(0, 4).toString('latin1') !== 'k8s\0') throw badRequest('the body is no protobuf of Kubernetes')
  const review = field(bytes.subarray(4), 2)
  const attributes = review && field(field(review, 2) ?? Buffer.alloc(0), 1)
  const resourceAttributes = Object.fromEntries(
    ATTRIBUTES.flatMap((name, number) =>
      number > 0 && attributes ? [[name, field(attributes, number)?.toString() ?? '']] : [],
    ),
  )
  const id = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' }
  return { ...id, spec: attributes ? { resourceAttributes } : { nonResourceAttributes: {} } }
}

/** The field of that number in a message whose fields are all texts and messages. */
function field(message: Buffer, number: number): Buffer | undefined {
  let position = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[position++] ?? 0
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (position < message.length) {
    const tag = varint()
    if ((tag & 7) !== 2) throw badRequest(`unexpected wire type ${tag & 7}`)
    const end = varint() + position
    if (tag >> 3 === number) return message.subarray(position, end)
    position = end
  }
  return undefined
}
