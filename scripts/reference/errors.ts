import { apiErrorCodes } from '../../src/api/error-codes.ts'
import { declineAdviceOn } from '../../src/checkout/decline-advice.ts'
import {
  errorCodeMeanings,
  giftCardErrorCodeMeanings,
} from '../../src/connectors/contract/error-code-meanings.ts'
import { errorCodes, isErrorCode } from '../../src/connectors/contract/error-codes.ts'
import {
  giftCardErrorCodes,
  isGiftCardErrorCode,
} from '../../src/connectors/contract/gift-card-error-codes.ts'
import { en } from '../../src/payment-links/page/words/en.ts'
import { code, page, table } from './markdown.ts'

const ofGroup = (group: 'decline' | 'failure') =>
  table(
    ['`error_code`', 'meaning', 'next payment service', 'what you do', 'tell the buyer'],
    Object.keys(errorCodes)
      .filter(isErrorCode)
      .filter((each) => errorCodes[each].group === group)
      .map((each) => {
        const { meaning, advice } = errorCodeMeanings[each]
        return [
          code(each),
          meaning,
          errorCodes[each].retriable ? 'yes' : 'no',
          advice,
          buyerTexts[declineAdviceOn(each)],
        ]
      }),
  )

/** The texts of the page that payment links open. */
const buyerTexts = en.declined

/** docs/reference/errors.md */
export const errorsPage = () =>
  page(
    '# Errors and declines',
    `Two different things go wrong, and they look different:

- **A request is refused.** The answer is an HTTP error with a \`code\` ([API errors](#api-errors)) or, when the shape is wrong, a 422 ([validation errors](#validation-errors)). Nothing was done.
- **A payment is declined or fails.** The answer is a 2xx with the transaction, refund or payout; its \`status\` and \`error_code\` say what happened ([declines](#declines), [failures](#failures)).`,
    '## API errors',
    '```json\n{"type": "error", "code": "bad_request", "status": 400, "message": "Request failed validation",\n "details": [{"location": "body", "pointer": "/currency", "message": "is not an ISO 4217 code", "type": "value_error"}]}\n```',
    table(
      ['status', '`code`', 'meaning', 'what you do'],
      Object.entries(apiErrorCodes).map(([each, { status, meaning, advice }]) => [
        String(status),
        code(each),
        meaning,
        advice,
      ]),
    ),
    '## Validation errors',
    `A member is missing, unknown or of another type: 422, always with this body.

\`\`\`json
{"detail": [{"loc": ["body", "amount"], "msg": "must be integer", "type": "type", "input": "lots", "ctx": {"type": "integer"}}]}
\`\`\``,
    '## Declines',
    `The issuer, the payment service or a rule said no. \`error_code\` of a transaction, capture, refund or payout.

“Next payment service” says whether Railyard may try the payment at another payment service by itself, when a flow rule names one or there is more than one: no money has moved, and another may say yes. “Tell the
buyer” is the text that the page of payment links shows. It does not repeat the reason, because the reason helps people who try out stolen cards.`,
    ofGroup('decline'),
    '## Failures',
    'The payment was not decided, for a technical reason.',
    ofGroup('failure'),
    '## Gift cards',
    '`error_code` of a redemption and `balance_error_code` of a gift card. A gift card that refuses its part makes the whole payment fail; what other parts took is given back.',
    table(
      ['code', 'kind', 'meaning', 'what you do'],
      Object.keys(giftCardErrorCodes)
        .filter(isGiftCardErrorCode)
        .map((each) => [
          code(each),
          giftCardErrorCodes[each],
          giftCardErrorCodeMeanings[each].meaning,
          giftCardErrorCodeMeanings[each].advice,
        ]),
    ),
  )
