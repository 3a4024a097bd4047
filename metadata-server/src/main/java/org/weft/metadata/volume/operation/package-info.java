/**
 * What several kinds of operations have in common. It has replies, the file that a caller holds,
 * how write grants begin and end, lost components, and shares of quotas. Each is used in the draft
 * of one execution. The operations are in the packages below, which use this one; so does the
 * machine. Uses {@code execution} and what that uses.
 */
package org.weft.metadata.volume.operation;
