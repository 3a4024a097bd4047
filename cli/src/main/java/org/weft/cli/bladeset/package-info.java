/** {@code weft bladeset}: pools of OSDs, in each of which volumes live. */
package org.weft.cli.bladeset;
