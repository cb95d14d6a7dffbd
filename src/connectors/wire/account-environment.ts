import type { FieldDefinition } from '../contract/connector.ts'
import { definitionField } from './definition-fields.ts'

/** The error for a merchant that enters live credentials in the sandbox. */
export const LIVE_CREDENTIALS_MESSAGE =
  'production has live credentials, which an instance with RAILYARD_ENV=production takes; this is the sandbox'

/**
 * The field that says where the merchant's account at the provider is. The simulator exists in the sandbox
 * only, and live accounts in production only: a sandbox prints tokens, accepts fault switches and pays with
 * test cards, so it must not move real money. `test`: the environments of a sandbox.
 */
export const environmentField = (
  hasSandbox: boolean,
  test: readonly string[] = ['simulator', 'sandbox'],
): FieldDefinition =>
  definitionField('environment', 'Environment', {
    required: true,
    ...(hasSandbox
      ? { values: test, unavailable: { production: LIVE_CREDENTIALS_MESSAGE } }
      : { values: ['sandbox', 'production'] }),
  })

/**
 * True for a payment service that was configured before the field refused live credentials. Nothing is sent
 * with them.
 */
export const hasLiveCredentialsInSandbox = (
  fields: Readonly<Record<string, string>>,
  hasSandbox: boolean,
): boolean => hasSandbox && fields['environment'] === 'production'
