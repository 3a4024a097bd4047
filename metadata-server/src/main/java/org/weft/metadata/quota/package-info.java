/**
 * How much directory trees hold, what they may hold, and what of that is promised to writers (P
 * 6.6a). Pure: no IO, no clock.
 */
package org.weft.metadata.quota;
