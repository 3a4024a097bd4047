/**
 * Histories of what clients asked for and were told, and whether any file system that keeps its
 * promises could have answered so (protocols.md, section 7).
 */
package org.weft.simulator.check;
