/**
 * What becomes of the pending writes of a writer that is gone (P 5.5): pure decisions, from what
 * the components of a file say of themselves. Carried out by {@code org.weft.recovery.resolve}.
 * Does no IO and has no threads.
 */
package org.weft.recovery.plan;
