/**
 * A volume that is checked and not served (P 6.8d): its journal is laid over what OSDs hold, in
 * memory, and nothing is written. Uses {@code care}, {@code request} and {@code sysmgr}. Confined
 * to the volume's thread.
 */
package org.weft.metadata.serving.offline;
