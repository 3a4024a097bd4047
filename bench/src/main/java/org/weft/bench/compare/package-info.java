/**
 * Several systems under the same loads, in turns. Each has a client process of its own that stays
 * warm, and other clients read back what was written.
 */
package org.weft.bench.compare;
