import { type ErrorCode, isErrorCode } from '../contract/error-codes.ts'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/**
 * Every code of Stripe (`decline_code`, and `code` of its errors) under our error code. A code that is missing
 * here is `unknown_error`.
 */
const codesOf: Partial<Record<ErrorCode, readonly string[]>> = {
  canceled_payment_method: words(`
    lost_card pickup_card restricted_card revocation_of_all_authorizations revocation_of_authorization
    stolen_card stop_payment_order
  `),
  disputed_transaction: words('charge_disputed refund_disputed_payment'),
  duplicate_transaction: words('duplicate_transaction'),
  expired_authorization: words('capture_charge_authorization_expired charge_expired_for_capture'),
  expired_payment_method: words('expired_card expired_payment_method'),
  failed_buyer_approval: words(`
    bank_account_verification_failed payment_intent_authentication_failure
    payment_method_microdeposit_failed payment_method_microdeposit_processing_error
    payment_method_microdeposit_verification_amounts_invalid
    payment_method_microdeposit_verification_amounts_mismatch
    payment_method_microdeposit_verification_attempts_exceeded
    payment_method_microdeposit_verification_descriptor_code_mismatch
    setup_intent_authentication_failure three_d_secure_authentication_upstream_error
  `),
  incomplete_buyer_approval: words(`
    payment_intent_payment_attempt_expired payment_method_microdeposit_verification_timeout
    setup_intent_setup_attempt_expired
  `),
  incorrect_billing_address: words(`
    account_country_invalid_address incorrect_address incorrect_postal_code incorrect_zip
    postal_code_invalid
  `),
  incorrect_cvv: words('incorrect_cvc invalid_cvc'),
  incorrect_expiry_date: words('invalid_expiry_month invalid_expiry_year'),
  insufficient_funds: words(`
    balance_insufficient card_velocity_exceeded insufficient_funds withdrawal_count_limit_exceeded
  `),
  invalid_amount: words(`
    amount_too_large amount_too_small charge_exceeds_source_limit charge_exceeds_transaction_limit
    instant_payouts_limit_exceeded invalid_amount invalid_charge_amount payouts_limit_exceeded
  `),
  invalid_billing_address: words('customer_tax_location_invalid invalid_tax_location state_unsupported'),
  invalid_payment_method: words(`
    account_closed account_information_mismatch account_number_invalid bank_account_bad_routing_numbers
    bank_account_restricted bank_account_unusable bank_account_unverified billing_invalid_mandate
    clearing_code_unsupported customer_session_expired incorrect_number
    india_recurring_payment_mandate_canceled invalid_account invalid_mandate_reference_prefix_format
    invalid_number invalid_source_usage new_account_information_available payment_intent_mandate_invalid
    payment_method_bank_account_blocked payment_method_invalid_parameter
    payment_method_invalid_parameter_testmode routing_number_invalid sepa_unsupported_account
    setup_intent_mandate_invalid testmode_decline token_already_used
  `),
  invalid_service_configuration: words(`
    account_error_country_change_requires_additional_steps account_invalid
    account_token_required_for_v2_account acss_debit_session_incomplete alipay_upgrade_required
    application_fees_not_allowed approval_required bitcoin_upgrade_required capability_not_active
    financial_account_capability_not_enabled financial_account_capability_restricted
    financial_connections_account_inactive financial_connections_account_pending_account_numbers
    financial_connections_account_unavailable_account_numbers forwarding_api_inactive
    instant_payouts_config_disabled no_account not_allowed_on_standard_account
    ownership_declaration_not_allowed payment_method_configuration_failures payment_method_unactivated
    payout_reconciliation_not_ready payouts_not_allowed platform_account_required
    progressive_onboarding_limit_exceeded smart_disputes_not_available storer_capability_missing
    storer_capability_not_active stripe_tax_inactive terminal_location_country_unsupported
    testmode_charges_only transfers_not_allowed
  `),
  invalid_service_credentials: words(`
    api_key_expired authentication_failure livemode_mismatch platform_api_key_expired
    secret_key_required
  `),
  invalid_service_request: words(`
    balance_invalid_parameter cardholder_phone_number_required charge_invalid_parameter coupon_expired
    customer_max_payment_methods customer_max_subscriptions dispute_evidence_page_limit_exceeded
    email_invalid financial_connections_consent_locale_invalid
    financial_connections_consent_locale_unsupported forwarding_api_invalid_parameter
    intent_verification_method_missing invalid_canceled_subscription_fields invalid_characters
    invoice_no_customer_line_items invoice_no_payment_method_types invoice_no_subscription_line_items
    invoice_upcoming_none out_of_inventory parameter_invalid_empty parameter_invalid_integer
    parameter_invalid_string_blank parameter_invalid_string_empty parameter_missing parameter_unknown
    parameters_exclusive payment_evaluation_on_api_version_not_supported
    payment_intent_invalid_parameter product_inactive
    service_period_coupon_with_metered_tiered_item_unsupported setup_intent_invalid_parameter
    sku_inactive subscription_update_trial_after_billing_cycle_anchor
    terminal_reader_invalid_location_for_activation terminal_reader_invalid_location_for_payment
    transfer_source_balance_parameters_mismatch url_invalid
  `),
  invalid_shipping_address: words('shipping_address_invalid shipping_calculation_failed'),
  invalid_tax_identifier: words('siret_invalid tax_id_invalid tax_id_prohibited'),
  issuer_decline: words(`
    approve_with_id bank_account_declined call_issuer card_declined debit_not_authorized do_not_honor
    generic_decline incorrect_pin invalid_pin no_action_taken offline_pin_required
    online_or_offline_pin_required payment_intent_konbini_rejected_confirmation_number
    payment_intent_payment_attempt_failed payment_method_customer_decline pin_try_exceeded
    reenter_transaction refer_to_customer security_violation setup_attempt_failed try_again_later
  `),
  missing_billing_address: words('payment_method_billing_details_address_missing'),
  refund_already_satisfied: words('charge_already_refunded'),
  refused_transaction: words('card_decline_rate_limit_exceeded do_not_try_again'),
  requires_buyer_authentication: words(`
    authentication_not_handled authentication_required mobile_device_authentication_required
    payment_intent_action_required
  `),
  service_decline: words(`
    action_blocked anomalous_money_movement_request payment_method_provider_decline
    payment_method_restricted request_blocked
  `),
  service_error: words(`
    failed_tax_calculation forwarding_api_retryable_upstream_error
    forwarding_api_upstream_connection_error forwarding_api_upstream_connection_timeout
    forwarding_api_upstream_error issuer_not_available payment_method_provider_timeout processing_error
    taxes_calculation_failed terminal_reader_busy terminal_reader_hardware_fault terminal_reader_offline
    terminal_reader_timeout
  `),
  service_network_error: words('tls_version_unsupported'),
  service_rate_limit: words('lock_timeout payment_intent_rate_limit_exceeded rate_limit'),
  service_resource_conflict: words(`
    bank_account_exists idempotency_key_in_use resource_already_exists token_in_use
  `),
  suspected_fraud: words('fraudulent merchant_blacklist'),
  unavailable_payment_method: words('payment_method_not_available'),
  unexpected_state: words(`
    capture_unauthorized_payment charge_already_captured charge_not_refundable
    financial_connections_no_successful_transaction_refresh intent_invalid_state invoice_not_editable
    invoice_on_behalf_of_not_editable invoice_payment_intent_requires_action
    payment_intent_unexpected_state payment_method_bank_account_already_verified
    return_intent_already_processed setup_intent_unexpected_state status_transition_invalid
  `),
  unknown_payment_method: words('payment_method_unexpected_state'),
  unknown_service_resource: words('missing resource_missing'),
  unrecognised_country: words('country_code_invalid'),
  unsupported_country: words('country_unsupported'),
  unsupported_currency: words(`
    currency_not_supported financial_account_balance_does_not_support_currency
    instant_payouts_currency_disabled payment_method_currency_mismatch
  `),
  unsupported_payment_method: words('invalid_card_type payment_intent_incompatible_payment_method'),
  unsupported_scheme: words('token_card_network_invalid'),
  unsupported_transaction: words(`
    card_not_supported instant_payouts_unsupported not_permitted payment_method_unsupported_type
    service_not_allowed setup_intent_mobile_wallet_unsupported
    three_d_secure_authentication_not_supported transaction_not_allowed
  `),
}

/** Our error code for each code of Stripe. */
export const declines: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries(codesOf).flatMap(([code, stripeCodes]) =>
    isErrorCode(code) ? stripeCodes.map((stripeCode): [string, ErrorCode] => [stripeCode, code]) : [],
  ),
)

/** Refusals of the card itself whose code would permit an attempt at another payment service. */
export const hardDeclines: ReadonlySet<string> = new Set(
  words('invalid_account new_account_information_available'),
)

/** Stripe's advice for a card that must not be tried again, whatever the code says. */
export const NO_FURTHER_ATTEMPT = 'do_not_try_again'
