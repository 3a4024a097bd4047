/**
 * Operations of trusted sessions, which name nodes by their numbers (P 6.5c). Gateways ask for
 * them. Uses {@code name} and {@code grant}: what a change of a name comes to is the same.
 */
package org.weft.metadata.volume.operation.number;
