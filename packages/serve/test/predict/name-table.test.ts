import { describe, expect, it } from 'vitest'
import { NameTable } from '../../src/index.js'

const seeOften = (table: NameTable<object>, name: string): void => {
  for (let i = 0; i < 8; i++) table.see(name)
}

describe('a table of names from outside', () => {
  it('keeps the established ones through any flood of new names', () => {
    const table = new NameTable(16, () => ({}))
    const values = ['a', 'b'].map((name) => {
      seeOften(table, name)
      return table.find(name)!.value
    })
    for (let i = 0; i < 20_000; i++) table.see(`junk-${i}`)
    expect(['a', 'b'].map((name) => table.find(name)?.value)).toEqual(values)
    expect(table.entries).toHaveLength(16)
  })

  it('lets a new name in while others flood it, and that of an established one when all places are theirs', () => {
    const table = new NameTable(8, () => ({}))
    for (let i = 0; i < 100; i++) table.see(`junk-${i}`)
    seeOften(table, 'new')
    expect(table.find('new')!.isEstablished).toBe(true)
    for (let i = 0; i < 8; i++) seeOften(table, `old-${i}`)
    expect(table.find('new')).toBeUndefined()
    table.see('x')
    table.see('y') // x and y do not push each other out: old ones, longest unseen, go first
    expect([table.find('x'), table.find('y')]).not.toContain(undefined)
  })

  it('gives the slot of a name that is gone to the next one, and tells of it', () => {
    const gone: string[] = []
    const table = new NameTable(
      2,
      () => ({}),
      ({ name }) => gone.push(name),
    )
    table.see('a')
    table.see('b')
    table.see('a')
    expect(table.see('c').slot).toBe(1)
    expect(gone).toEqual(['b'])
    expect(table.entries.map(({ name }) => name)).toEqual(['a', 'c'])
  })

  it('keeps 256 letters of a name', () => {
    const table = new NameTable(2, () => ({}))
    expect(table.see('x'.repeat(1_000_000)).name).toHaveLength(256)
  })
})
