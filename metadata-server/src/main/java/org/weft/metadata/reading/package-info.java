/**
 * What sessions were granted for reading and may rely on without asking, and what of it is recalled
 * because it is to be changed (P 6.5). Of this process alone: no journal holds it. Pure, confined
 * to the volume's thread.
 */
package org.weft.metadata.reading;
