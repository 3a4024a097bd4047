/**
 * Resolves what writers that are gone left pending (P 5.5, 5.9): asks the components of a file,
 * carries out what {@code org.weft.client.resolve} decides, and says how long the file is. Only
 * managers do so. Uses {@code base}, {@code read} and {@code check}.
 */
package org.weft.client.stripe.resolve;
