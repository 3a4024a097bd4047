/**
 * What managers do to files whose writer died or whose OSDs were lost (P 5.5, 6.8). {@link
 * org.weft.recovery.FileRecovery} begins it, {@code plan} decides, {@code resolve} and {@code
 * rebuild} carry it out. Clients do none of it, and their jar has none of it.
 */
package org.weft.recovery;
