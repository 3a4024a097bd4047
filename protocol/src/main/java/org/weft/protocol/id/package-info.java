/**
 * Names of things: one-field records, so that no two kinds of number can be confused.
 *
 * <p>Their equals and hashCode are written out, as those of other keys that a client uses in its
 * first second are. What a compiler makes for a record is linked at run time from method handles,
 * each time with a dozen classes more. That costs a new JVM more than all look-ups of a short
 * command.
 */
package org.weft.protocol.id;
