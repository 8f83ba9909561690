import type { Broadcast, BroadcastListener } from '../../store/database/broadcast.ts'

/** Processes that hear each other at once, unless the test cuts one off. */
export interface Air {
  /** One more process. */
  station(name: string): Station
  /** Everything that was said, by whom. */
  readonly said: readonly { from: string; message: string }[]
}

export interface Station extends Broadcast {
  /** What others say is lost here until `reconnect`. */
  cut(): void
  reconnect(): void
  /** What this one says fails until it is called with false. */
  fail(fails: boolean): void
  /** How many statements it took to say it all. */
  readonly statements: number
}

export function createAir(messageBytesMax = 7_900): Air {
  const stations = new Map<string, { listeners: Set<BroadcastListener>; isCut: boolean }>()
  const said: { from: string; message: string }[] = []
  return {
    said,
    station(name) {
      const own = { listeners: new Set<BroadcastListener>(), isCut: false }
      stations.set(name, own)
      let fails = false
      let statements = 0
      return {
        messageBytesMax,
        async say(messages) {
          if (fails) throw new Error('nobody hears this')
          statements += 1
          for (const message of messages) {
            if (Buffer.byteLength(message) > messageBytesMax) throw new Error('too long for one message')
            said.push({ from: name, message })
            for (const [other, { listeners, isCut }] of stations) {
              if (other === name || isCut) continue
              for (const listener of [...listeners]) listener.onMessage(name, message)
            }
          }
        },
        hear(listener) {
          own.listeners.add(listener)
          return () => {
            own.listeners.delete(listener)
          }
        },
        cut() {
          own.isCut = true
        },
        reconnect() {
          own.isCut = false
          for (const listener of [...own.listeners]) listener.onGap()
        },
        fail(does) {
          fails = does
        },
        get statements() {
          return statements
        },
      }
    },
  }
}
