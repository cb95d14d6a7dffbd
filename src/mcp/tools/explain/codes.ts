import { declineAdviceOn } from '../../../checkout/decline-advice.ts'
import * as declinedIn from '../../../checkout/decline-words.ts'
import { errorCodeMeanings } from '../../../connectors/contract/error-code-meanings.ts'
import { errorCodes, isErrorCode } from '../../../connectors/contract/error-codes.ts'
import { type UntrustedText, untrusted } from '../../untrusted.ts'

/** What an error code means, as docs/reference/errors.md has it. */
export interface CodeMeaning {
  code: string | UntrustedText
  /** `decline`: the issuer, the payment service or a rule refused. `failure`: a technical reason. */
  group: 'decline' | 'failure'
  meaning: string
  what_the_merchant_does: string
  tell_the_buyer: string
  another_payment_service_may_approve: boolean
}

export function meaningOf(code: string): CodeMeaning {
  const tell_the_buyer = declinedIn.en[declineAdviceOn(code)]
  if (!isErrorCode(code))
    return {
      code: untrusted(code),
      group: 'decline',
      meaning: 'A rule of the merchant declined the payment, with a code of its own',
      what_the_merchant_does: 'Read the rule that `routing.decisions` names',
      tell_the_buyer,
      another_payment_service_may_approve: false,
    }
  const { group, retriable } = errorCodes[code]
  const { meaning, advice } = errorCodeMeanings[code]
  return {
    code,
    group,
    meaning,
    what_the_merchant_does: advice,
    tell_the_buyer,
    another_payment_service_may_approve: retriable,
  }
}
