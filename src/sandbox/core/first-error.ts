import type { Validator } from '../../base/compile.ts'

/** The first error of a body. It names the place but never the value, which could be a card number. */
export function firstError(validator: Validator, body: unknown): string {
  const errors = validator.Errors(body)
  const error = errors.find(({ keyword }) => keyword !== 'boolean') ?? errors[0]
  if (!error) return 'the body is wrong'
  const names =
    error.keyword === 'additionalProperties' ? `: ${error.params.additionalProperties.join(', ')}` : ''
  return `${error.instancePath || 'the body'} ${error.message}${names}`
}
