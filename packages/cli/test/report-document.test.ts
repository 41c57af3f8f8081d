import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderDocument } from '../src/report/document.js'
import { sha256Base64 } from '../src/report/sha256.js'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64')

describe('sha256Base64', () => {
  it('is SHA-256 of the text, at every length about a block and of any letters', () => {
    for (let length = 0; length < 200; length++)
      expect(sha256Base64('a'.repeat(length))).toBe(sha256('a'.repeat(length)))
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        expect(sha256Base64(text)).toBe(sha256(text))
      }),
    )
  })
})

describe('renderDocument', () => {
  const page = { title: 'a < b', style: 'b{color:red}', body: '<main></main>', data: { id: 'n', value: ['</script>'] } }
  const policyOf = (html: string) => /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!

  it('allows its style and its script by hash, and no other', () => {
    const policy = policyOf(renderDocument({ ...page, script: 'run()' }))
    expect(policy).toContain(`script-src 'sha256-${sha256('run()')}'`)
    expect(policy).toContain(`style-src-elem 'sha256-${sha256(page.style)}'`)
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    expect(policyOf(renderDocument(page))).not.toContain('script-src')
  })

  it('escapes the title and keeps the numbers inside their element', () => {
    const html = renderDocument(page)
    expect(html).toContain('<title>a &lt; b</title>')
    expect(html).toContain('["\\u003c/script\\u003e"]')
  })
})
