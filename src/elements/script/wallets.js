import { applePayOfBrowser, openAppleSheet } from './apple-sheet.js'
import { element, part } from './checkout-methods.js'
import { decimalAmount } from './checkout-payment.js'

/**
 * @typedef {{ amount: number, currency: string, country: string }} WalletTerms What is left to pay.
 * @typedef {{ price: string, currency: string, country: string }} PricedTerms The same, as a sheet shows it: `12.99`.
 *
 * What the checkout gives the buttons of digital wallets.
 * @typedef {object} WalletHost
 * @property {string} domain Of the page.
 * @property {import('./checkout-payment.js').Send} send
 * @property {() => WalletTerms | undefined} open Before a sheet opens. Undefined: something else is being paid.
 * @property {(method: object) => Promise<boolean>} pay Pays with a token; answers whether it has paid.
 * @property {() => void} close The sheet is closed without a token.
 * @property {() => void} fail The sheet cannot be opened.
 */

/**
 * The buttons of the digital wallets that the account, the page and the browser have. A wallet's sheet opens only
 * after a click in this frame, so a button pays at once, without the page's `confirm()`.
 * @param {import('./frame.js').CheckoutConfig} config
 * @param {WalletHost} host
 */
export function walletButtons({ applePay, googlePay, currencyDigits }, host) {
  const place = part('wallets')
  /** @type {HTMLButtonElement[]} */
  const buttons = []
  let shows = 0

  /** @param {WalletTerms} terms @returns {PricedTerms} */
  const priced = ({ amount, currency, country }) => ({
    price: decimalAmount(amount, currencyDigits[currency] ?? 2),
    currency,
    country,
  })

  /** @param {string} id @param {any} option @param {(terms: WalletTerms) => void} click */
  function add(id, option, click) {
    const button = element('button', { type: 'button', id, className: 'wallet', textContent: option.label })
    button.addEventListener('click', () => {
      const terms = host.open()
      if (terms) click(terms)
    })
    buttons.push(button)
    place.append(button)
  }

  return {
    /** Shows the buttons of the options that this browser can open. @param {any[]} options @param {WalletTerms | undefined} terms */
    async show(options, terms) {
      const show = ++shows
      for (const button of buttons.splice(0)) button.remove()
      if (!terms) return
      const [apple, google] = ['applepay', 'googlepay'].map((method) =>
        options.find((option) => option.method === method),
      )
      const ApplePaySession = apple && applePay ? applePayOfBrowser() : undefined
      const appleCountry = applePay?.country || terms.country
      if (ApplePaySession && appleCountry)
        add('apple-pay', apple, (now) =>
          openApplePay(ApplePaySession, apple, appleCountry, priced(now), host),
        )
      const request =
        google && googlePay ? await prepareGooglePay(google, googlePay, priced(terms), host) : undefined
      // another token may have come meanwhile
      if (request && show === shows)
        add('google-pay', google, (now) => void openGooglePay(request(priced(now)), host))
    },
    isEmpty: () => buttons.length === 0,
    /** @param {boolean} isLocked Something is being paid. @param {boolean} isNeeded Something is left to pay. */
    update(isLocked, isNeeded) {
      place.hidden = buttons.length === 0 || !isNeeded
      for (const button of buttons) button.disabled = isLocked
    },
  }
}

/** @param {import('./apple-sheet.js').ApplePay} applePay @param {any} option @param {string} countryCode @param {PricedTerms} terms @param {WalletHost} host */
function openApplePay(applePay, { context }, countryCode, { price, currency }, host) {
  const request = {
    countryCode,
    currencyCode: currency,
    supportedNetworks: context.supported_schemes.map((/** @type {string} */ scheme) =>
      scheme === 'mastercard' ? 'masterCard' : scheme,
    ),
    merchantCapabilities: ['supports3DS'],
    total: { label: context.merchant_name, amount: price, type: 'final' },
  }
  openAppleSheet(applePay, request, {
    async validate(validationUrl) {
      const answer = await host.send('POST', '/digital-wallets/apple/session', {
        validation_url: validationUrl,
        domain_name: host.domain,
      })
      if (answer?.status !== 200) throw new Error('Apple has answered no session')
      return answer.body
    },
    pay: host.pay,
    fail: host.fail,
    cancel: host.close,
  })
}

/**
 * Google Pay as a payment method of the browser, which needs no script of Google's (Google Pay API, Payment
 * Request). Undefined: this browser does not have it.
 * @param {any} option
 * @param {{ environment: string, merchantId: string | null, country: string | null }} config
 * @param {PricedTerms} terms
 * @param {WalletHost} host
 * @returns {Promise<((terms: PricedTerms) => PaymentRequest) | undefined>} Makes the request of a payment.
 */
async function prepareGooglePay(
  { context },
  { environment, merchantId, country: merchantCountry },
  terms,
  host,
) {
  if (!('PaymentRequest' in globalThis)) return undefined
  const answer = await host.send('POST', '/digital-wallets/google/session', { origin_domain: host.domain })
  if (answer?.status !== 200) return undefined
  /** @param {PricedTerms} now */
  const request = ({ price: value, currency, country }) => {
    const data = {
      environment,
      apiVersion: 2,
      apiVersionMinor: 0,
      merchantInfo: {
        merchantName: context.merchant_name,
        merchantOrigin: host.domain,
        authJwt: answer.body.token,
        ...(merchantId && { merchantId }),
      },
      allowedPaymentMethods: [
        {
          type: 'CARD',
          parameters: {
            allowedAuthMethods: ['PAN_ONLY', 'CRYPTOGRAM_3DS'],
            allowedCardNetworks: context.supported_schemes.map((/** @type {string} */ scheme) =>
              scheme.toUpperCase(),
            ),
            assuranceDetailsRequired: true,
          },
          tokenizationSpecification: {
            type: 'PAYMENT_GATEWAY',
            parameters: { gateway: context.gateway, gatewayMerchantId: answer.body.gateway_merchant_id },
          },
        },
      ],
      transactionInfo: {
        totalPriceStatus: 'FINAL',
        totalPrice: value,
        currencyCode: currency,
        ...((merchantCountry || country) && { countryCode: merchantCountry || country }),
      },
    }
    return new PaymentRequest([{ supportedMethods: 'https://google.com/pay', data }], {
      total: { label: context.merchant_name, amount: { currency, value } },
    })
  }
  const isThere = await request(terms)
    .canMakePayment()
    .catch(() => false)
  return isThere ? request : undefined
}

/** @param {PaymentRequest} request @param {WalletHost} host */
async function openGooglePay(request, host) {
  let response
  try {
    response = await request.show()
    // the browser's sheet may not lie over an issuer's page
    await response.complete('unknown')
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') host.close()
    else host.fail()
    return
  }
  const { tokenizationData, info } = response.details.paymentMethodData
  const { accountVerified, cardHolderAuthenticated } = info?.assuranceDetails ?? {}
  await host.pay({
    method: 'googlepay',
    token: tokenizationData.token,
    ...(/^\d{4}$/.test(info?.cardDetails) && { card_suffix: info.cardDetails }),
    assurance_details: {
      account_verified: accountVerified === true,
      card_holder_authenticated: cardHolderAuthenticated === true,
    },
  })
}
