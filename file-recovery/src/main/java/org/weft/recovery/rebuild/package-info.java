/**
 * Writes components, and single blocks of them, anew from the others (P 6.8, 6.8b). Only managers
 * do so. Uses {@code base} and {@code read} of {@code org.weft.client.stripe}, and of {@code
 * resolve} the calls under a manager's number.
 */
package org.weft.recovery.rebuild;
