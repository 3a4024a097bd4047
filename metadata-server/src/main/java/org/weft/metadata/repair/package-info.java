/**
 * Components that have been given up and wait to be rebuilt (P 5.8, 6.4, 6.8). Pure; runs on the
 * volume's thread.
 */
package org.weft.metadata.repair;
