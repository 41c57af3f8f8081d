import { describe, expect, it } from 'vitest'
import { MOST_TENANTS, Tenants } from '../../src/scheduler/tenants.js'

describe('numbers of tenants', () => {
  it('are not given away while a request has one, though an earlier one of the same tenant had found none free', () => {
    const tenants = new Tenants()
    for (let i = 1; i < MOST_TENANTS; i++) tenants.enter(`tenant ${i}`)
    const shared = tenants.enter('late')
    expect(shared).toBe(0)
    tenants.leave('tenant 1', 1)
    const own = tenants.enter('late')
    expect(own).toBe(1)
    tenants.leave('late', shared)
    expect(tenants.enter('other')).toBe(0)
    tenants.leave('late', own)
    expect(tenants.enter('another')).toBe(own)
  })
})
