/**
 * The manager's own operations when it recovers a volume from its OSDs (P 6.8e). Only {@code
 * metadata.salvage} executes them. Uses {@code name} and {@code volume}.
 */
package org.weft.metadata.volume.operation.salvage;
