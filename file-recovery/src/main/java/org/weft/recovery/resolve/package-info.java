/**
 * Resolves what writers that are gone left pending (P 5.5, 5.9). It asks the components of a file,
 * carries out what {@code org.weft.recovery.plan} decides, and says how long the file is. Only
 * managers do so. Uses {@code base}, {@code read} and {@code check} of {@code
 * org.weft.client.stripe}.
 */
package org.weft.recovery.resolve;
