/**
 * How one request is executed (P 6.1). An {@link org.weft.metadata.volume.execution.Operation} is
 * given an {@link org.weft.metadata.volume.execution.Execution}, which is all that it may look at.
 * It comes to an {@link org.weft.metadata.volume.execution.Outcome}. What the machine is given from
 * outside is here too. {@code metadata.serving} supplies it. Uses {@code path}, {@code state} and
 * {@code length}. Single-threaded.
 */
package org.weft.metadata.volume.execution;
