/**
 * The manager's own operations that bring files back to full redundancy or move components to other
 * OSDs (P 6.8), and reports of damage. {@code metadata.serving} executes them; reports of damage
 * come from clients.
 */
package org.weft.metadata.volume.operation.repair;
