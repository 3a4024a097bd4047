/**
 * BladeSets: pools of OSDs, each of which volumes live in one of, and what may become of them (P
 * 4.5). Records without behaviour of their own; the rules are with the configuration.
 */
package org.weft.sysmgr.bladeset;
