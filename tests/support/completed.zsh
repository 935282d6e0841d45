# zsh -f completed.zsh FOLDER LINE: what a zsh with FOLDER/_htp-trace offers for the end of LINE, one a line.
# A shell in a pseudo terminal completes; its compadd prints what it is told to add.
zmodload zsh/zpty
zpty shell zsh -f -i
local line
() { zpty -w shell source $1; zpty -r shell line '*ready for it*' } =(<<<"
PROMPT= PS2=
stty -echo
fpath=(${(q)1} \$fpath)
autoload -Uz compinit
compinit -u -d ${(q)1}/dump
"'
bindkey "^I" complete-word
begin () { echo -E - "<begin>" }
finish () { echo -E - "<finish>"; exit }
compprefuncs=(begin) comppostfuncs=(finish)
compadd () {
    local -a hits
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        builtin compadd -A hits "$@"
        print -lr -- $hits
    fi
    builtin compadd "$@"
}
echo ready "for it"')
zpty -w -n shell "$2"$'\t'
zpty -r shell line '*<finish>*'
line=${line//$'\r'/}
print -r -- ${${line##*<begin>$'\n'}%<finish>*}
