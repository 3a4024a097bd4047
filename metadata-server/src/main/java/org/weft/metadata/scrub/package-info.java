/**
 * Scrub of parity: a manager compares, slowly and by itself, the parity of all files of its volumes
 * with their data (P 6.8f). Uses the comparison of the volume's check, and keeps its place in the
 * journal.
 */
package org.weft.metadata.scrub;
