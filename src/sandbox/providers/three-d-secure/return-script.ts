/** Posts the page's form to the merchant's page at once; without scripts there is the button. */
export const returnScript = 'document.forms[0].submit()'
