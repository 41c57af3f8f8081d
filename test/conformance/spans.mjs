/** A span of the vectors as `Span`. */
export const toSpan = (span) => ({
  id: span.id,
  parentId: span.parentId,
  service: span.service ?? '',
  operation: span.operation ?? '',
  startUs: span.startUs,
  durationUs: span.durationUs,
  kind: span.kind,
  reference: span.refType === 'FOLLOWS_FROM' ? 'follows-from' : 'child-of',
  host: span.host,
  isError: span.error === true,
})
