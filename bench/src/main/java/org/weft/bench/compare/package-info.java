/**
 * Several systems under the same loads, in turns: each has a client process of its own that stays
 * warm, and what they wrote is read back by other clients.
 */
package org.weft.bench.compare;
