/**
 * Names, paths and handles of nodes; the walk along a path, and the permissions that it asks for (P
 * 6.5). Operations use it. {@code metadata.rpc}, {@code metadata.serving} and {@code
 * metadata.salvage} make names and paths of messages. Uses {@code state}. A walk belongs to one
 * execution; names and paths are immutable.
 */
package org.weft.metadata.volume.path;
