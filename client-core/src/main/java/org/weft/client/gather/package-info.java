/**
 * Gathers small writes at any positions of a file, in bounded memory, until there is reason to send
 * them (P 5.3, 6.5). {@code GatheredBytes} and what is in it are pure state with the time handed
 * in. {@code WriteGathering} is the thread-safe service around them. It has no thread of its own
 * and sends through a {@code GatherTarget}.
 */
package org.weft.client.gather;
