import { v7 as uuidV7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../database/database.ts'
import { findOwner, insertMember } from '../../identity/members.ts'
import {
  deleteSession,
  insertLoginLink,
  insertSession,
  readSession,
  takeLoginLink,
} from '../../identity/sessions.ts'
import type { TestDatabase } from '../test-database.ts'

const now = new Date('2026-03-12T12:00:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)

async function member(database: Database, role: 'owner' | 'member', at = now) {
  const who = { orgId: uuidV7(), personId: uuidV7() }
  await database.transaction((tx) =>
    insertMember(tx, { ...who, orgName: 'Org', personName: 'Person', role }, at),
  )
  return who
}

export function identityConformance(open: () => TestDatabase): void {
  describe('a login link', () => {
    it('lets in whom it was made for, once', async () => {
      const { database } = open()
      const who = await member(database, 'member')
      await insertLoginLink(database, 'digest', who, later(1_000), now)
      expect(await takeLoginLink(database, 'another', now)).toBeNull()
      expect(await takeLoginLink(database, 'digest', now)).toEqual(who)
      expect(await takeLoginLink(database, 'digest', now)).toBeNull()
    })

    it('lets nobody in at its end', async () => {
      const { database } = open()
      await insertLoginLink(database, 'digest', await member(database, 'member'), later(1_000), now)
      expect(await takeLoginLink(database, 'digest', later(1_000))).toBeNull()
      expect(await takeLoginLink(database, 'digest', later(999))).not.toBeNull()
    })

    it('used by many at once lets one in', async () => {
      const { database } = open()
      await insertLoginLink(database, 'digest', await member(database, 'member'), later(1_000), now)
      const takes = await Promise.all(
        Array.from({ length: 20 }, () => takeLoginLink(database, 'digest', now)),
      )
      expect(takes.filter((who) => who !== null)).toHaveLength(1)
    })
  })

  describe('a session', () => {
    it('stands for its person until it expires or is ended', async () => {
      const { database } = open()
      const who = await member(database, 'member')
      await insertSession(database, 'digest', who, later(1_000), now)
      expect(await readSession(database, 'digest', later(999))).toEqual({
        ...who,
        role: 'member',
        expiresAt: later(1_000),
        personName: 'Person',
        orgName: 'Org',
        timeZone: null,
      })
      expect(await readSession(database, 'digest', later(1_000))).toBeNull()
      expect(await readSession(database, 'another', now)).toBeNull()
      await database.transaction((tx) => deleteSession(tx, 'digest'))
      expect(await readSession(database, 'digest', now)).toBeNull()
    })

    it('ends with the membership it was made for', async () => {
      const { database } = open()
      const one = await member(database, 'member')
      const two = await member(database, 'member')
      await insertSession(database, 'digest', { orgId: one.orgId, personId: two.personId }, later(1_000), now)
      expect(await readSession(database, 'digest', now)).toBeNull()
    })
  })

  describe('the owner', () => {
    it('is that of the oldest org, and none where there is none', async () => {
      const { database } = open()
      const find = () => database.transaction((tx) => findOwner(tx))
      expect(await find()).toBeNull()
      await member(database, 'member')
      const younger = await member(database, 'owner', later(5))
      expect(await find()).toEqual(younger)
      expect(await find()).not.toEqual(await member(database, 'owner', later(9)))
    })

    it('made twice is one person in one org', async () => {
      const { database } = open()
      const who = await member(database, 'owner')
      await database.transaction((tx) =>
        insertMember(tx, { ...who, orgName: 'Other', personName: 'Other', role: 'member' }, now),
      )
      expect(await database.transaction((tx) => findOwner(tx))).toEqual(who)
    })
  })
}
