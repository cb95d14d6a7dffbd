import { Type } from 'typebox'
import { Closed, Described, Open, Uuid } from '../../api/schema.ts'

export const GooglePaySessionRequest = Closed('GooglePaySessionRequest', {
  origin_domain: Described(Type.String(), 'The domain of the page that asks'),
})
export const GooglePaySession = Closed('GooglePaySession', {
  gateway_merchant_id: Described(
    Type.String(),
    'For `tokenizationSpecification.parameters.gatewayMerchantId` of Google’s script',
  ),
  token: Described(Type.String(), 'For `merchantInfo.authJwt` of Google’s script'),
})

export const ApplePaySessionRequest = Closed('ApplePaySessionRequest', {
  validation_url: Described(
    Type.String(),
    '`event.validationURL` of Apple’s script: an https URL of apple.com',
  ),
  domain_name: Described(Type.String(), 'The domain of the page that asks; one of the wallet’s'),
})
export const ApplePaySession = {
  ...Open,
  title: 'ApplePaySession',
  description: 'What Apple answered, for `completeMerchantValidation`',
}

export const ClickToPaySessionRequest = Closed('ClickToPaySessionRequest', { checkout_session_id: Uuid })
export const ClickToPaySession = Closed('ClickToPaySession', {
  digital_payment_application_id: Type.String(),
  digital_payment_application_name: Type.String(),
})
