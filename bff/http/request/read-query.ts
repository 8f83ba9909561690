import { DomainError } from '../../domain/errors.ts'

/**
 * The parameters of a query by name.
 *
 * @throws DomainError `invalid_request` naming a parameter that was given twice.
 */
export function readQuery(url: string): Record<string, string> {
  const { searchParams } = new URL(url)
  const values = new Map<string, string>()
  for (const [name, value] of searchParams) {
    if (values.has(name)) throw givenTwice(name.slice(0, 100))
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

function givenTwice(field: string): DomainError {
  const message = 'must not be given twice'
  return new DomainError('invalid_request', `${field} ${message}.`, { errors: [{ field, message }] })
}
